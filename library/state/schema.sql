-- What recall remembers of the last look, made once. Raise version in state.go when any of it changes.

-- Sources: a file as it was when its bytes were last archived; done: they are also distilled and indexed, or known to
-- be such that they can't or needn't be.
CREATE TABLE IF NOT EXISTS file(
	path TEXT PRIMARY KEY, session TEXT NOT NULL, size INTEGER NOT NULL, mod INTEGER NOT NULL, stamp TEXT NOT NULL,
	done INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS file_session ON file(session);
CREATE INDEX IF NOT EXISTS file_mod ON file(mod);

-- The library's folders, as recall left them. page and key are the states of payload.md and session.json, "" if unknown.
CREATE TABLE IF NOT EXISTS session(
	id TEXT PRIMARY KEY, folder TEXT NOT NULL, page TEXT NOT NULL, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS excluded(session TEXT PRIMARY KEY, rule TEXT NOT NULL) WITHOUT ROWID;

-- Folders and files in which something new shows, with the state at the last full sync, "" if it may have changed since.
CREATE TABLE IF NOT EXISTS watched(path TEXT PRIMARY KEY, was TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- The list of sessions of a library: blocks in gob, each with its CRC-32C.
CREATE TABLE IF NOT EXISTS library(id TEXT NOT NULL, dir TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS list(sum INTEGER NOT NULL, sessions BLOB NOT NULL);
