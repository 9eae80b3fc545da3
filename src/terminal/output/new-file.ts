/** Results that go into a file of their own, which is never written over. */

import { access, constants, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "../../wallet/failure.js";

/** @throws {Failure} `bad_value` where there is such a file, or none can be made */
export async function writeNewFile(path: string, text: string): Promise<void> {
	await writeFile(path, text, { flag: "wx" }).catch(unwritable(path));
}

/** Whether {@link writeNewFile} could write now, for who pays before there is something to write. @throws {Failure} `bad_value` */
export async function checkNewFile(path: string): Promise<void> {
	await access(dirname(path), constants.W_OK).catch(unwritable(path));
	const isFree = await access(path).then(
		() => false,
		() => true,
	);
	if (!isFree) return unwritable(path)({ code: EXISTS });
}

const EXISTS = "EEXIST";

/** For `catch`: the refusal of a new file. */
export const unwritable =
	(path: string) =>
	(error: unknown): never => {
		const { code = "unknown error" } = error as NodeJS.ErrnoException;
		const why = code === EXISTS ? "exists already and is never overwritten" : `can't be written (${code})`;
		throw new Failure("bad_value", `${path} ${why}`);
	};
