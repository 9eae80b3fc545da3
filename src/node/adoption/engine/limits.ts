/** What the files of a store may ask for. None is reached by a store that a reference node wrote. */

/** Names in a directory, and tables of a store: half a petabyte in tables of 2 MB. */
export const MAX_FILES = 1_000_000;
/** Sources that are merged at once; each has a file open and a window in memory. Nodes stop writing at 36 tables on level 0. */
export const MAX_SOURCES = 512;
export const MAX_DATABASE_MANIFEST_BYTES = 512 * 2 ** 20;
/** Bytes of one record of a manifest: the first names every table. */
export const MAX_EDIT_BYTES = 256 * 2 ** 20;
export const MAX_LEVEL = 63;
export const MAX_LOG_BYTES = 2 ** 30;
/** Entries of the logs together; each takes 24 bytes beside its own. */
export const MAX_LOG_ENTRIES = 2 ** 24;
export const MAX_TABLE_BLOCK_BYTES = 128 * 2 ** 20;
/** No element of Snappy makes more than 64 bytes of three. */
export const MAX_SNAPPY_RATIO = 22;
/** Memory of all windows through which tables are read. */
export const WINDOW_BYTES = 32 * 2 ** 20;
export const MAX_WINDOW_BYTES = 2 * 2 ** 20;
export const MIN_WINDOW_BYTES = 2 ** 16;
/** Blocks of a table: 16 GiB in the smallest that an engine makes. */
export const MAX_BLOCKS = 2 ** 22;
/** Bytes of the keys of an index, none of which is longer than those of prices. */
export const MAX_INDEX_KEY_BYTES = 512 * 2 ** 20;
/** Names in a metaindex or among properties; RocksDB writes about fifty. */
export const MAX_NAMES = 4096;
