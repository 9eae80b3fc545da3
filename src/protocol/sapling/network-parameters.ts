/** The files that the public network's proofs are made and checked with (protocol/shielded §6.4): BLAKE2b-512 in hexadecimal. */

export const NETWORK_SPEND_HASH =
	"25fd9a0d1c1be0526c14662947ae95b758fe9f3d7fb7f55e9b4437830dcc6215a7ce3ea465914b157715b7a4d681389ea4aa84438190e185d5e4c93574d3a19a";
export const NETWORK_OUTPUT_HASH =
	"a1cb23b93256adce5bce2cb09cefbc96a1d16572675ceb691e9a3626ec15b5b546926ff1c536cfe3a9df07d796b32fdfc3e5d99d65567257bf286cd2858d71a6";
