import { expect, test } from "vitest";
import type { Check } from "@/lib/types";
import { isInInbox } from "./findings";

const found = (name: string): Check => ({ name, state: "bad", evidence: "", remedy: "", fixable: false });

test("a credential in a note that does not wait for a sync is shown here, because the inbox does not list it", () => {
  const checks = ["waiting", "secrets"].map(found);
  expect(checks.filter((check) => isInInbox(check, checks)).map((check) => check.name)).toEqual(["waiting"]);
});
