import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { ann, expect, places, step } from "./check.mjs";

const run = promisify(execFile);
const grpcurl = async (...words) => {
	const { stdout, stderr } = await run("bin/grpcurl", words, { timeout: 20_000 }).catch((error) => {
		throw new Error(error.stderr || error.message);
	});
	return stdout || stderr;
};
const { install } = JSON.parse(readFileSync("program.json", "utf8"));
console.log(`version ${install[1].split("@v")[1]}`);
for (const [name, target, service] of [
	["full", places.grpc, "Wallet"],
	["solidity", places.grpcSolidity, "WalletSolidity"],
]) {
	const plain = ["-plaintext", "-max-time", "10"];
	await step(`${name}: list`, async () => {
		const names = await grpcurl(...plain, target, "list");
		for (const each of [`protocol.${service}`, "grpc.health.v1.Health"]) expect(names.includes(each), each);
	});
	await step(`${name}: list of a service`, () => grpcurl(...plain, target, "list", `protocol.${service}`));
	await step(`${name}: describe everything`, () => grpcurl(...plain, target, "describe"));
	for (const symbol of [
		`protocol.${service}`,
		`protocol.${service}.GetNowBlock2`,
		`protocol.${service}.GetAccount`,
		"protocol.Account",
		"protocol.Account.balance",
		"protocol.ResourceCode",
		"grpc.health.v1.Health.Watch",
	]) {
		await step(`${name}: describe ${symbol}`, () => grpcurl(...plain, target, "describe", symbol));
	}
	await step(`${name}: call GetNowBlock2`, async () => {
		expect(
			(await grpcurl(...plain, target, `protocol.${service}/GetNowBlock2`)).includes("blockid"),
			"a block",
		);
	});
	await step(`${name}: call GetAccount`, async () => {
		const address = Buffer.from(ann.hex, "hex").toString("base64");
		const account = await grpcurl(
			...plain,
			"-d",
			JSON.stringify({ address }),
			target,
			`protocol.${service}/GetAccount`,
		);
		expect(account.includes("balance"), "a balance");
	});
	await step(`${name}: health`, async () => {
		expect((await grpcurl(...plain, target, "grpc.health.v1.Health/Check")).includes("SERVING"), "SERVING");
	});
	await step(`${name}: an unknown service`, async () => {
		const answer = await grpcurl(...plain, target, "describe", "no.such.Thing").catch(
			({ message }) => message,
		);
		expect(/not found|does not/i.test(answer), `a refusal, not ${answer}`);
	});
}
