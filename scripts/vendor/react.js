// One script with all of React that pages ask for, under the names that its own builds use.
import * as React from "react";
import * as jsxRuntime from "react/jsx-runtime";
import * as ReactDOM from "react-dom";
import * as client from "react-dom/client";

globalThis.React = React;
globalThis.ReactDOM = { ...ReactDOM, createRoot: client.createRoot, hydrateRoot: client.hydrateRoot };
globalThis.ReactJSXRuntime = jsxRuntime;
