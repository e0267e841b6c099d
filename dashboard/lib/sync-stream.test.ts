import { expect, test } from "vitest";
import { readEvents } from "./sync-stream";

async function read(chunks: string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      chunks.forEach((chunk) => controller.enqueue(new TextEncoder().encode(chunk)));
      controller.close();
    },
  });
  const found = [];
  for await (const event of readEvents(body)) found.push(event);
  return found;
}

test("events are read however the network splits them", async () => {
  const chunks = ["event: step\nda", 'ta: {"step": "fetch"}\n\nevent: done\ndata: {"a"', ": 1}\n\n"];
  expect(await read(chunks)).toEqual([
    { name: "step", data: { step: "fetch" } },
    { name: "done", data: { a: 1 } },
  ]);
});

test("a keep-alive comment is not an event", async () => {
  expect(await read([": still here\n\n", "event: change\ndata: null\n\n"])).toEqual([{ name: "change", data: null }]);
});
