/** Recorded sets of release 4.8.2, the one that is served by default, replayed. */

import { expect, it } from "vitest";
import { equalInAll, replaySet, type SetCounts } from "./replayed-set.js";

it.each<[string, SetCounts]>([
	["late-blocks", { blocks: 39, pushes: 100, requests: 216 }],
	["late-blocks-filter", { blocks: 39, pushes: 100, requests: 216 }],
	["late-eras", { blocks: 527, pushes: 6, requests: 2520 }],
	["late-exchange", { blocks: 121, requests: 1236 }],
	["late-forks", { blocks: 39, pushes: 84, requests: 210 }],
	["late-grpc", { blocks: 138, requests: 142, grpc: 1271 }],
	["late-http", { blocks: 138, requests: 2694 }],
	["late-invalid", { blocks: 34, pushes: 127, requests: 166 }],
	["late-jsonrpc", { blocks: 172, requests: 3880 }],
	["late-order66", { blocks: 160, requests: 89 }],
	["late-stake-delegation", { blocks: 234, requests: 1349, grpc: 2 }],
	["late-stake-energy", { blocks: 182, requests: 729 }],
	["late-stake-exact", { blocks: 158, requests: 2234 }],
	["late-stake-freeze", { blocks: 213, requests: 937, grpc: 3 }],
	["late-tokens", { blocks: 98, requests: 529, grpc: 40 }],
	["late-v38-fuzz-99", { blocks: 671, requests: 2004 }],
	["late-vm-calls", { blocks: 610, requests: 1159 }],
	["late-vm-opcodes", { blocks: 228, requests: 1481 }],
	["late-vm-probes", { blocks: 439, requests: 783 }],
	["late-vm-random", { blocks: 80, requests: 792 }],
	["late-weights", { blocks: 13, requests: 289 }],
])(
	"%s: blocks, receipts, changed entries, answers and the final state are as recorded",
	async (set, counts) => {
		const { result, differences } = await replaySet(set);
		expect(differences).toBe("");
		expect(result).toMatchObject(equalInAll(counts));
	},
);
