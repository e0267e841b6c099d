import { expect, test } from "vitest";
import type { Check } from "@/lib/types";
import { isInInbox } from "./findings";

const found = (name: string, place: string): Check => ({
  name,
  place,
  state: "bad",
  evidence: "",
  remedy: "",
  fixable: false,
});

test("a credential in a note that does not wait for a sync is shown here, because the inbox does not list it", () => {
  const checks = [found("waiting", "/inbox/"), found("secrets", "")];
  expect(checks.filter((check) => isInInbox(check, checks)).map((check) => check.name)).toEqual(["waiting"]);
});
