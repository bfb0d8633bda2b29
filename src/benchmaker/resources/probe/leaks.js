// The self-test's own page: tries every way out to a listener, {port} on the loopback address.
(port) => {
  const tried = [];
  const attempt = (name, work) => {
    tried.push(name);
    try { Promise.resolve(work()).catch(() => {}); } catch { /* that way is shut */ }
  };
  const at = `127.0.0.1:${port}`;
  attempt("fetch", () => fetch(`http://${at}/fetch`, { mode: "no-cors" }));
  attempt("image", () => { new Image().src = `http://${at}/image`; });
  attempt("beacon", () => navigator.sendBeacon(`http://${at}/beacon`, "x"));
  attempt("websocket", () => new WebSocket(`ws://${at}/socket`));
  attempt("eventsource", () => new EventSource(`http://${at}/events`));
  attempt("webtransport", () => new WebTransport(`https://${at}/transport`).ready);
  attempt("worker", () => {
    const code = `fetch("http://${at}/worker",{mode:"no-cors"});new WebSocket("ws://${at}/w")`;
    new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  });
  attempt("preconnect", () => {
    const link = document.createElement("link");
    link.rel = "preconnect";
    link.href = `http://${at}`;
    document.head.append(link);
  });
  attempt("popup", () => window.open(`http://${at}/popup`));
  attempt("form", () => {
    const form = document.createElement("form");
    form.action = `http://${at}/form`;
    form.method = "post";
    form.target = "f";
    const frame = document.createElement("iframe");
    frame.name = "f";
    document.body.append(frame, form);
    form.submit();
  });
  attempt("webrtc", () => {
    const peer = new RTCPeerConnection({ iceServers: [
      { urls: `stun:${at}` },
      { urls: [`turn:${at}?transport=udp`, `turn:${at}?transport=tcp`],
        username: "u", credential: "p" },
    ] });
    peer.createDataChannel("x");
    return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  });
  attempt("navigation", () => { setTimeout(() => { location.href = `http://${at}/leave`; }, 600); });
  return tried;
};
