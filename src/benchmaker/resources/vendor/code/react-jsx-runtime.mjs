const it = globalThis.ReactJSXRuntime;
export default it;
export const { Fragment, jsx, jsxs } = it;
