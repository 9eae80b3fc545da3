/** Addresses of servers for people and results: a user and a password in one are secrets. */

/** The address without user and password; a mark tells that there is one. */
export function shownAddress<T extends string | undefined>(address: T): T {
	return address?.replace(/^([a-z]+:\/\/)?[^/?#]*@/i, "$1***@") as T;
}
