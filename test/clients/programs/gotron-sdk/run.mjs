import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ann, expect, places, step } from "./check.mjs";

const run = promisify(execFile);
const tronctl = async (...words) => {
	const { stdout } = await run("bin/cmd", ["--node", places.grpc, ...words], { timeout: 20_000 });
	return stdout;
};
console.log("version latest");
for (const words of [
	["bc", "node"],
	["bc", "mt"],
	["sr", "list"],
	["proposal", "list"],
]) {
	await step(words.join(" "), () => tronctl(...words));
}
await step("account info", async () =>
	expect((await tronctl("account", "info", ann.base58)).includes(ann.base58), "it"),
);
