// axe-core was put into this world before; it counts on timers, which the page's stop would hold.
axe.run(document, { resultTypes: ["violations"] }).then((found) =>
  found.violations.map((one) => [one.id, one.impact ?? "minor"]),
);
