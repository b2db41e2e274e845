-- All that is in an index's file, made once. What the rows hold is said in index.go. Raise schema in open.go
-- when any of it changes.

-- sessions, their items and turns
CREATE TABLE session(
	id INTEGER PRIMARY KEY, sid TEXT NOT NULL UNIQUE, project TEXT NOT NULL, title TEXT NOT NULL,
	source TEXT NOT NULL, author TEXT NOT NULL, machine TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
	items INTEGER NOT NULL,
	thread BLOB NOT NULL, archived INTEGER NOT NULL);
CREATE INDEX session_archived ON session(id) WHERE archived;
CREATE INDEX session_project ON session(project, start, sid, items);
-- other projects that a session worked in, by name
CREATE TABLE also(project TEXT NOT NULL, session INTEGER NOT NULL, PRIMARY KEY(project, session)) WITHOUT ROWID;
CREATE INDEX also_session ON also(session);
CREATE TABLE item(
	id INTEGER PRIMARY KEY, session INTEGER NOT NULL, iid TEXT NOT NULL, kind TEXT NOT NULL,
	state TEXT NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX item_session ON item(session);
CREATE INDEX item_iid ON item(iid);
CREATE TABLE turn(
	id INTEGER PRIMARY KEY, session INTEGER NOT NULL, tid TEXT NOT NULL, n INTEGER NOT NULL,
	role TEXT NOT NULL, at INTEGER NOT NULL, text BLOB NOT NULL);
CREATE INDEX turn_session ON turn(session, n);

-- What is searched: exchanges, in windows of some hundred words that overlap, and items. window: the turns n to m of
-- exchange x; at: of the last; key: a hash of its text, under which its vector is
-- kept. words: the stems of both, without stop words, under twice the window's id, and twice the
-- item's and one. It keeps no text, only what bm25 takes.
CREATE TABLE window(
	id INTEGER PRIMARY KEY, session INTEGER NOT NULL, x INTEGER NOT NULL, n INTEGER NOT NULL, m INTEGER NOT NULL,
	at INTEGER NOT NULL, key INTEGER NOT NULL);
CREATE INDEX window_session ON window(session, n);
CREATE INDEX window_key ON window(key);
CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize=ascii);
-- Words are kept in memory up to so many bytes before they are written, which saves merging.
INSERT INTO words(words, rank) VALUES('hashsize', 8388608);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
-- Windows that have no vector yet, with their texts, packed; the model and the size of the file of those that have one.
CREATE TABLE unembedded(id INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE embedded(model TEXT NOT NULL, size INTEGER NOT NULL);

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
-- The values that sessions' edits replaced, each under the first word of the old one and of the new one; and the tasks
-- that they completed. See deeds.go.
CREATE TABLE deed(
	session INTEGER NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL,
	of TEXT NOT NULL, PRIMARY KEY(session, key, at, old, of)) WITHOUT ROWID;
CREATE INDEX deed_key ON deed(key);

-- What sessions took of models, see requests.go.
CREATE TABLE request(session INTEGER PRIMARY KEY, data BLOB NOT NULL);
-- how many files and lines sessions changed
CREATE TABLE changed(
	session INTEGER PRIMARY KEY, files INTEGER NOT NULL, added INTEGER NOT NULL, removed INTEGER NOT NULL);

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
