/** Methods that can be asked of the state after a past block (protocol/http §5.4): those of the HTTP endpoints that can be. */

import { toNeutral } from "../../../protocol/dialect.js";
import { endpoints } from "../endpoint-table.js";

/** The network calls these two otherwise over HTTP. */
const ALSO = ["getbrokerageinfo", "getrewardinfo"];

const names: ReadonlySet<string> = new Set([
	...endpoints.filter(({ readsState }) => readsState).map(({ name }) => name.toLowerCase()),
	...ALSO,
]);

/** @param path `/package.Service/Method` */
export const readsState = (path: string): boolean =>
	names.has(toNeutral(path.slice(path.lastIndexOf("/") + 1)).toLowerCase());
