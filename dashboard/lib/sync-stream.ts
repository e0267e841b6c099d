// One sync, followed step by step over the server's event stream.
import { answer, ApiError, write } from "./http";
import type { SyncResult, SyncStep } from "./types";

/** Start a sync; `onStep` receives its progress, the promise its result. */
export async function runSync(onStep: (step: SyncStep) => void): Promise<SyncResult> {
  const response = await write("POST", "/api/sync", {});
  if (!response.ok || !response.body) throw await answer(response).then(() => new ApiError(500, "No answer."));
  for await (const event of readEvents(response.body)) {
    if (event.name === "step") onStep(event.data as SyncStep);
    if (event.name === "done") return event.data as SyncResult;
    if (event.name === "failed") throw new ApiError(500, String(event.data));
  }
  throw new ApiError(0, "The connection to the server broke during the sync. No notes are lost; sync again.");
}

type StreamEvent = { name: string; data: unknown };

/** Server-sent events from a response's body. EventSource itself can only GET. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    text += value ?? "";
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }
}

function readEvent(block: string): StreamEvent | null {
  const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  const data = fields.get("data");
  return data === undefined ? null : { name: fields.get("event") ?? "message", data: JSON.parse(data) as unknown };
}
