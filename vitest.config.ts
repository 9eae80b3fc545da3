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

/** Tests of sources that take most of a second of a free core or more, or wait for real sockets and clocks. */
const SLOW = ["test/**/*.slow.test.ts"];

/** What takes half a minute of both cores or more: `npm run test:long`, not part of `npm test`. */
const LONG = ["test/**/*.long.test.ts"];

/** Limits only end what hangs: no test is judged by the clock, so that a machine that does much else passes, too. */
const PATIENCE_MS = 600_000;
const patient = {
	testTimeout: PATIENCE_MS,
	hookTimeout: PATIENCE_MS,
	expect: { poll: { timeout: PATIENCE_MS / 2, interval: 10 } },
};

export default defineConfig({
	test: {
		// One more than there are cores: a test that waits for a process, a socket or a slot leaves its core to another.
		maxWorkers: availableParallelism() + 1,
		// A source is made JavaScript once for all projects, and once for all runs: kept in node_modules by a hash of its text.
		experimental: { fsModuleCache: true },
		projects: [
			{
				test: {
					name: "unit",
					include: ["test/**/*.test.ts"],
					exclude: [...PROGRAM, ...CLIENTS, ...SLOW, ...LONG],
					...patient,
					setupFiles: "test/native-signatures.ts",
					pool: "threads",
					isolate: false,
				},
			},
			{
				test: {
					name: "slow",
					include: SLOW,
					...patient,
					setupFiles: "test/native-signatures.ts",
					// What lives as long as a block or an answer dies young in a larger space: a sixth less processor time.
					execArgv: ["--max-semi-space-size=64"],
					isolate: false,
				},
			},
			{
				test: {
					name: "program",
					include: PROGRAM,
					exclude: LONG,
					globalSetup: "test/built-program.ts",
					...patient,
					isolate: false,
				},
			},
			{
				test: {
					name: "clients",
					include: CLIENTS,
					exclude: LONG,
					globalSetup: "test/built-program.ts",
					...patient,
					isolate: false,
				},
			},
			{
				test: {
					name: "long",
					include: LONG,
					globalSetup: "test/built-program.ts",
					...patient,
					setupFiles: "test/native-signatures.ts",
				},
			},
		],
		coverage: {
			provider: "v8",
			include: ["src/**/*.ts"],
			exclude: ["src/protocol/generated/**", "src/protocol/messages.ts"],
			reporter: ["text-summary", "html"],
		},
	},
});
