import { defineConfig } from "vitest/config";

/** Tests that start the built program, or look at it. */
const PROGRAM = [
	"test/commands/**/*.test.ts",
	"test/package/**/*.test.ts",
	"test/node/startup.test.ts",
	"test/replay/main.test.ts",
];

/** Tests with libraries and tools of others. */
const CLIENTS = ["test/clients/**/*.test.ts", "test/tronbox/**/*.test.ts"];

/** Tests of sources that take more than a second of a free processor: recordings, random runs, keys at full strength. */
const SLOW = ["test/golden.test.ts", "test/node/properties/**/*.test.ts", "test/soak/**/*.test.ts"];

/** On a machine that does much else, `COIN_TEST_PATIENCE=10` multiplies every limit. */
const patience = Number(process.env["COIN_TEST_PATIENCE"] ?? 1);
const seconds = (count: number): number => 1000 * count * patience;
const patient = { testTimeout: seconds(60), hookTimeout: seconds(120) };

export default defineConfig({
	test: {
		projects: [
			{
				test: {
					name: "unit",
					include: ["test/**/*.test.ts"],
					exclude: [...PROGRAM, ...CLIENTS, ...SLOW],
					testTimeout: seconds(5),
					hookTimeout: seconds(10),
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
