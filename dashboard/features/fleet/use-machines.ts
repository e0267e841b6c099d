import { useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

export function useMachines() {
  return useQuery({ queryKey: ["machines"], queryFn: api.machines });
}
