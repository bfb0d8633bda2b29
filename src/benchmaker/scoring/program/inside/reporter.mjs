/* A reporter of node's test runner that hands each event to the process of the tests. */

export default async function* report(events) {
  for await (const event of events) globalThis[Symbol.for("benchmaker.report")](event);
  yield "";
}
