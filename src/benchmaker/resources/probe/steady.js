// Runs in our world at the first frame after a load: whether anything has altered the document or
// its look since then, or could look otherwise after a resize than after a load at that size.
globalThis.isSteady = (() => {
  const OTHERS =
    "iframe,frame,object,embed,video,audio,marquee,picture,animate,animateTransform," +
    "animateMotion,set,[srcset],[loading=lazy],[onresize]";
  let isAltered = document.getAnimations().length > 0;
  const observer = new MutationObserver(() => { isAltered = true; });
  observer.observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
  return () => {
    isAltered ||= observer.takeRecords().length > 0 || document.getAnimations().length > 0;
    const focus = document.activeElement ?? document.body;
    return !isAltered && focus === document.body && scrollX === 0 && scrollY === 0
      && !document.querySelector(OTHERS);
  };
})();
true;
