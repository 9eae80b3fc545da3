/** Steps of a program, told line by line: `ok <step>` or `not ok <step> # <why>`; `skip <why>` if there is nothing to run. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export const places = JSON.parse(process.env.COIN_PLACES);
export const coupon = JSON.parse(readFileSync(process.env.COIN_COUPON, "utf8"));
const [ann, bob] = places.people;

export { ann, bob };

export function version(name) {
	const require = createRequire(`${process.cwd()}/`);
	const path = `${process.cwd()}/node_modules/${name}/package.json`;
	console.log(`version ${require(path).version}`);
}

const line = (error) =>
	String(error?.shortMessage ?? error?.message ?? error)
		.replaceAll(/\s+/g, " ")
		.slice(0, 200);

/** Runs a step; its failure doesn't end the program. */
export async function step(name, work) {
	try {
		const result = await work();
		console.log(`ok ${name}`);
		return result;
	} catch (error) {
		console.log(`not ok ${name} # ${line(error)}`);
		return undefined;
	}
}

export function expect(condition, what) {
	if (!condition) throw new Error(`expected ${what}`);
}

/** A step that has to fail with these words. */
export function refused(name, words, work) {
	return step(name, async () => {
		let error;
		try {
			await work();
		} catch (thrown) {
			error = thrown;
		}
		const text = `${error?.message ?? error} ${JSON.stringify(error?.info ?? error?.data ?? error?.cause?.data ?? "", (_, v) => (typeof v === "bigint" ? String(v) : v))}`;
		expect(error !== undefined && words.test(text), `a refusal like ${words}, not ${text.slice(0, 120)}`);
	});
}
