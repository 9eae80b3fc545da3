/** Writes results to new files, without ever overwriting one. */

import { access, constants, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "../../wallet/failure.js";

/** @throws {Failure} `bad_value` if the file exists, or can't be created */
export async function writeNewFile(path: string, text: string): Promise<void> {
	await writeFile(path, text, { flag: "wx" }).catch(unwritable(path));
}

/** Checks that {@link writeNewFile} could write now, before paying for what will be written. @throws {Failure} `bad_value` */
export async function checkNewFile(path: string): Promise<void> {
	await access(dirname(path), constants.W_OK).catch(unwritable(path));
	const isFree = await access(path).then(
		() => false,
		() => true,
	);
	if (!isFree) return unwritable(path)({ code: EXISTS });
}

const EXISTS = "EEXIST";

/** For `catch`: the failure for a file that can't be created. */
export const unwritable =
	(path: string) =>
	(error: unknown): never => {
		const { code = "unknown error" } = error as NodeJS.ErrnoException;
		const why = code === EXISTS ? "exists already and is never overwritten" : `can't be written (${code})`;
		throw new Failure("bad_value", `${path} ${why}`);
	};
