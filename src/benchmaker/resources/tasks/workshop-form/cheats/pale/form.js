"use strict";

// Without this script the browser's own checks apply; with it, every fault is said at once.
const form = document.getElementById("booking");
const summary = document.getElementById("summary");
const list = document.getElementById("summary-list");
const status = document.getElementById("status");

/** The element that carries the message of a field, and the message itself. */
function messageOf(name) {
  return document.getElementById(`${name}-error`);
}

/** The first control of a field: of a group of radio buttons, the first button. */
function controlOf(name) {
  const found = form.elements.namedItem(name);
  return found instanceof RadioNodeList ? found[0] : found;
}

function requiredNames() {
  const names = Array.from(form.querySelectorAll("[required]"), (one) => one.name);
  return Array.from(new Set(names));
}

/** Show or hide the message of a field; say whether the field is fine. */
function show(name) {
  const control = controlOf(name);
  const isFine = control.validity.valid;
  messageOf(name).hidden = isFine;
  if (isFine) {
    control.removeAttribute("aria-invalid");
  } else {
    control.setAttribute("aria-invalid", "true");
  }
  return isFine;
}

function linkTo(name) {
  const control = controlOf(name);
  const link = document.createElement("a");
  link.href = `#${control.id}`;
  link.textContent = messageOf(name).textContent;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    control.focus();
  });
  const item = document.createElement("li");
  item.append(link);
  return item;
}

form.noValidate = true;

form.addEventListener("submit", (event) => {
  const wrong = requiredNames().filter((name) => !show(name));
  list.replaceChildren(...wrong.map(linkTo));
  summary.hidden = wrong.length === 0;
  if (wrong.length > 0) {
    event.preventDefault();
    status.textContent = "";
    summary.focus();
  } else {
    status.textContent = "Sending your booking";
  }
});

form.addEventListener("input", (event) => {
  if (event.target.getAttribute("aria-invalid") === "true") {
    show(event.target.name);
  }
});
