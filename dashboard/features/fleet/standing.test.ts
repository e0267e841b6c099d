import { expect, test } from "vitest";
import { standingOf } from "./standing";
import type { Machine, SyncState } from "@/lib/types";

test("a machine that agrees has the same notes, except for those held here or there", () => {
  const count = 1 + Math.floor(Math.random() * 9);
  const said = (here: number, there: number) => {
    const other = { name: "lap", here: false, agrees: true, held: there } as Machine;
    return standingOf(other, [{ ...other, here: true, held: here }, other], {} as SyncState).short;
  };
  expect(said(0, 0)).toBe("Has the same notes as this machine");
  expect(said(1, count)).toBe(`Has the same notes as this machine, except for ${count + 1} held notes`);
});
