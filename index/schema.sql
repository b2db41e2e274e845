-- All that is in an index's file, made once. What the rows hold is said in index.go. Raise schema in open.go
-- when any of it changes.

-- sessions, their items and turns, vectors
CREATE TABLE session(
	id INTEGER PRIMARY KEY, sid TEXT NOT NULL UNIQUE, project TEXT NOT NULL, title TEXT NOT NULL,
	source TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, items INTEGER NOT NULL,
	thread BLOB NOT NULL, archived INTEGER NOT NULL);
CREATE INDEX session_archived ON session(id) WHERE archived;
CREATE INDEX session_project ON session(project, start, sid, items);
-- other projects that a session worked in, by name
CREATE TABLE also(project TEXT NOT NULL, session INTEGER NOT NULL, PRIMARY KEY(project, session)) WITHOUT ROWID;
CREATE INDEX also_session ON also(session);
CREATE TABLE item(
	id INTEGER PRIMARY KEY, session INTEGER NOT NULL, iid TEXT NOT NULL, kind TEXT NOT NULL,
	state TEXT NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL, hash INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX item_session ON item(session);
CREATE INDEX item_iid ON item(iid);
CREATE TABLE turn(
	id INTEGER PRIMARY KEY, session INTEGER NOT NULL, tid TEXT NOT NULL, n INTEGER NOT NULL,
	role TEXT NOT NULL, at INTEGER NOT NULL, hash INTEGER NOT NULL, text BLOB NOT NULL);
CREATE INDEX turn_session ON turn(session, n);
CREATE TABLE vec(iid TEXT NOT NULL, model TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(iid, model)) WITHOUT ROWID;
CREATE INDEX vec_model ON vec(model);

-- The full text, kept here so that it is written and read in the same transactions as all else:
-- fulltext is one row, see state; a segment, of which a transaction adds one and may merge the last (segments.go),
-- has its lists in block, see postings; size: see sizes. SQLite's own FTS5 does as much and was used before. Its bm25
-- looks each row's length up, takes two thirds of a search and half of what putting in costs.
CREATE TABLE fulltext(
	version INTEGER NOT NULL, item INTEGER NOT NULL, turn INTEGER NOT NULL, items INTEGER NOT NULL,
	itemwords INTEGER NOT NULL, sources INTEGER NOT NULL, sourcewords INTEGER NOT NULL, turns INTEGER NOT NULL,
	turnwords INTEGER NOT NULL);
CREATE TABLE segment(
	id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, item INTEGER NOT NULL, itemend INTEGER NOT NULL,
	turn INTEGER NOT NULL, turnend INTEGER NOT NULL, items INTEGER NOT NULL, turns INTEGER NOT NULL);
CREATE TABLE block(id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, word TEXT NOT NULL, data BLOB NOT NULL);
CREATE INDEX block_word ON block(segment, word);
CREATE TABLE size(id INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- What the pipeline asks for: what each session's entry was made from, and the lines of every payload.md that was
-- ever written, by hash, so that one pasted into a later session without its marker is known again.
CREATE TABLE stamp(sid TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE line(
	hash INTEGER NOT NULL, sid TEXT NOT NULL, iids TEXT NOT NULL, PRIMARY KEY(hash, sid)) WITHOUT ROWID;

-- What sessions did: the files they touched and moved, the commits they made. A path
-- stands once, however many sessions have it. path.base: the last name, in lower case; touch.how: the bits of
-- hows, n and at of the last time.
CREATE TABLE path(id INTEGER PRIMARY KEY, base TEXT NOT NULL, path TEXT NOT NULL UNIQUE);
CREATE INDEX path_base ON path(base);
CREATE TABLE touch(
	path INTEGER NOT NULL, session INTEGER NOT NULL, how INTEGER NOT NULL, n INTEGER NOT NULL,
	at INTEGER NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY(path, session)) WITHOUT ROWID;
CREATE INDEX touch_session ON touch(session);
CREATE TABLE moved(session INTEGER NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, n INTEGER NOT NULL);
CREATE INDEX moved_old ON moved(old);
CREATE INDEX moved_new ON moved(new);
CREATE INDEX moved_session ON moved(session);
CREATE TABLE made(
	session INTEGER NOT NULL, hash TEXT NOT NULL, subject TEXT NOT NULL, branch TEXT NOT NULL,
	dir TEXT NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL);
CREATE INDEX made_hash ON made(hash);
CREATE INDEX made_at ON made(at);
CREATE INDEX made_session ON made(session);

-- What sessions took of models, see requests.go.
CREATE TABLE request(session INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- What the library's links.jsonl say in the end, the sessions whose items changed since links were last made, and
-- what links were made of.
CREATE TABLE link(
	later TEXT NOT NULL, earlier TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL,
	PRIMARY KEY(later, earlier)) WITHOUT ROWID;
CREATE INDEX link_earlier ON link(earlier);
CREATE TABLE due(sid TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE linked(made TEXT NOT NULL);
-- which tombstones of the library the file has obeyed, to the last byte: see SetBuried
CREATE TABLE buried(stamp TEXT NOT NULL);
