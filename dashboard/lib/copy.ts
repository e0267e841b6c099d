import { tell } from "@/lib/notice";

/** Put a text on the clipboard, and say so. */
export async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(done);
  } catch {
    tell("The browser did not allow copying.", true);
  }
}
