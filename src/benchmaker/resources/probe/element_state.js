// Runs on an element, in the driver's world: its text, its state, and an attribute or its content.
(el, attribute) => {
  const aria = (name) => el.getAttribute(`aria-${name}`);
  return {
    text: [...new Set([`${el.value ?? ""}`.trim(), (el.innerText ?? el.textContent).trim()])].join(" "),
    value: attribute === null ? (el.value === undefined ? null : String(el.value))
      : el.getAttribute(attribute),
    checked: typeof el.checked === "boolean" ? el.checked : aria("checked") === "true",
    disabled: el.matches(":disabled") || aria("disabled") === "true",
    has_focus: el.ownerDocument.activeElement === el,
  };
};
