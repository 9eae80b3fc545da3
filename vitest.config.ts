import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests that start the built program, or look at it. */
const PROGRAM = [
	"test/commands/**/*.test.ts",
	"test/package/**/*.test.ts",
	"test/node/startup.test.ts",
	"test/replay/main.test.ts",
	"test/brokers/**/*.test.ts",
];

/** Tests with libraries and tools of others. */
const CLIENTS = ["test/clients/**/*.test.ts", "test/tronbox/**/*.test.ts"];

/** Tests of sources that take more than a second of a free core, or wait for real sockets and clocks. */
const SLOW = [
	// Recordings, played
	"test/golden{,-4.8.2}.test.ts",
	"test/**/recorded.test.ts",
	"test/replay/replay.test.ts",
	// Random runs and whole networks
	"test/node/properties/**/*.test.ts",
	"test/simulation/**/*.test.ts",
	"test/soak/**/*.test.ts",
	"test/**/fuzz/*.test.ts",
	"test/node/api/fuzz.test.ts",
	"test/protocol/codec/codec.test.ts",
	// Keys at full strength, costly curves and many signatures
	"test/keystore/{secret-storage,keystore,shielded-keystore,agent}.test.ts",
	"test/node/vm/{curve,signature-arrays,energy-costs}.test.ts",
	"test/node/vm/precompiles/{p256,point-evaluation}.test.ts",
	"test/node/shielded/{groth16,mutations,precompiles,remembered-proofs}.test.ts",
	"test/protocol/sapling/incremental-tree.test.ts",
	"test/proving/{native-prover,prover,spend,tasks}.test.ts",
	// The index of history over each store, and a PostgreSQL server where there is one
	"test/node/history/{history-index,history-away}.test.ts",
	"test/node/history/postgresql/*.test.ts",
	"test/node/api/history/history-routes.test.ts",
	"test/node/events/sinks/postgresql.test.ts",
	// Long chains, and files that are synced to a disk
	"test/node/chain/{old-blocks,restart}.test.ts",
	"test/node/adoption/{adoption,in-place}.test.ts",
	"test/node/adoption/engine/tables.test.ts",
	"test/node/segments/{block-mover,prune}.test.ts",
	"test/node/snapshot/snapshot.test.ts",
	"test/node/state/state-database.test.ts",
	"test/node/network/peers/sync.test.ts",
	// Clients that are slow, and time that passes
	"test/node/api/{robustness,slow-clients,idle-clients,long-answer,documents}.test.ts",
	"test/node/api/{http-server,http-listener}.test.ts",
	"test/node/listening/connection-gate.test.ts",
	"test/node/api/grpc/long-messages.test.ts",
	"test/wallet/node/http-request.test.ts",
	"test/node/api/development/{methods,web-library}.test.ts",
	"test/node/api/jsonrpc/methods/debug.test.ts",
	"test/node/api/grpc/{grpc-server,health}.test.ts",
	"test/node/network/{live,node-environment}.test.ts",
	"test/node/network/{discovery/discovery,transport/peer-transport}.test.ts",
	"test/wallet/compiler/solc.test.ts",
	"test/wallet/shielded/{compiled,contract,native-pay,pay,proved-by-node,scan}.test.ts",
];

/** Limits only end what hangs: no test is judged by the clock, so that a machine that does much else passes, too. */
const PATIENCE_MS = 600_000;
const patient = {
	testTimeout: PATIENCE_MS,
	hookTimeout: PATIENCE_MS,
	expect: { poll: { timeout: PATIENCE_MS / 2, interval: 10 } },
};

export default defineConfig({
	test: {
		// By default a core is left free, which of two cores leaves one.
		maxWorkers: Math.max(2, availableParallelism() - 1),
		projects: [
			{
				test: {
					name: "unit",
					include: ["test/**/*.test.ts"],
					exclude: [...PROGRAM, ...CLIENTS, ...SLOW],
					...patient,
					pool: "threads",
					isolate: false,
				},
			},
			{ test: { name: "slow", include: SLOW, ...patient } },
			{ test: { name: "program", include: PROGRAM, globalSetup: "test/built-program.ts", ...patient } },
			{ test: { name: "clients", include: CLIENTS, globalSetup: "test/built-program.ts", ...patient } },
		],
		coverage: {
			provider: "v8",
			include: ["src/**/*.ts"],
			exclude: ["src/protocol/generated/**", "src/protocol/messages.ts"],
			reporter: ["text-summary", "html"],
		},
	},
});
