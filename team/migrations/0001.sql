-- schema recall: members, devices, projects, what is shared of sessions, tombstones, jobs; who may do what with each row
-- {role} is the group that every member's login is of. Who is asking is session_user, which nobody can change but a
-- superuser: neither SET ROLE nor a function that runs as its owner does.

CREATE SCHEMA recall;
GRANT USAGE ON SCHEMA recall TO {role};

CREATE TABLE recall.migration(version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
CREATE TABLE recall.team(id text PRIMARY KEY, name text NOT NULL, role name NOT NULL, at timestamptz NOT NULL DEFAULT now());
GRANT SELECT ON recall.migration, recall.team TO {role};

CREATE TABLE recall.member(
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, login name NOT NULL UNIQUE,
	name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100), owner boolean NOT NULL DEFAULT false,
	at timestamptz NOT NULL DEFAULT now(), left_at timestamptz);
CREATE UNIQUE INDEX member_name ON recall.member(lower(name)); -- who left keeps it: what they decided bears it
CREATE TABLE recall.device(
	id uuid PRIMARY KEY, member int NOT NULL REFERENCES recall.member,
	name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100), at timestamptz NOT NULL DEFAULT now(), left_at timestamptz);
CREATE INDEX device_member ON recall.device(member);
-- Public keys that what is sealed to a device's member is encrypted with. The last counts; none is ever changed.
CREATE TABLE recall.key(
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, device uuid NOT NULL REFERENCES recall.device ON DELETE CASCADE,
	key text NOT NULL CHECK (key ~ '^age1[0-9a-z]{20,200}$'), at timestamptz NOT NULL DEFAULT now());
CREATE INDEX key_device ON recall.key(device);
-- A project is found by its remote, else by its first commit; merged_into corrects what neither told.
CREATE TABLE recall.project(
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
	remote text UNIQUE CHECK (remote <> ''), root text CHECK (root <> ''),
	keeper int NOT NULL REFERENCES recall.member, merged_into int REFERENCES recall.project CHECK (merged_into <> id),
	retain int CHECK (retain BETWEEN 1 AND 1000000), -- days that sessions are kept here, NULL for good
	-- how much is in it, for questions, that can't count it each time; first and last were its sessions' ids at any time
	items bigint NOT NULL DEFAULT 0, sessions bigint NOT NULL DEFAULT 0, first bigint, last bigint) WITH (fillfactor = 50);
CREATE INDEX project_root ON recall.project(root);
CREATE TABLE recall.access(
	project int REFERENCES recall.project, member int REFERENCES recall.member, PRIMARY KEY(project, member));
CREATE INDEX access_member ON recall.access(member);

-- A session as one device shares it; generation grows with each change, and no older one is taken any more.
CREATE TABLE recall.session(
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, device uuid NOT NULL REFERENCES recall.device,
	sid text NOT NULL CHECK (length(sid) BETWEEN 1 AND 200), project int NOT NULL REFERENCES recall.project,
	generation int NOT NULL CHECK (generation > 0), hash text NOT NULL CHECK (length(hash) <= 200),
	rules text NOT NULL CHECK (length(rules) <= 200), title text NOT NULL CHECK (octet_length(title) <= 64 << 10),
	started timestamptz CHECK (isfinite(started)), ended timestamptz CHECK (isfinite(ended)),
	items int NOT NULL CHECK (items BETWEEN 0 AND 100000), at timestamptz NOT NULL DEFAULT now(), UNIQUE(device, sid));
CREATE INDEX session_sid ON recall.session(sid text_pattern_ops); -- by how it begins, whatever the database's locale
CREATE INDEX session_project ON recall.session(project, started);
CREATE INDEX session_at ON recall.session(at);
-- Items are never changed: another text is another row of a later generation. data is the payload.Item as JSON.
CREATE TABLE recall.item(
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session bigint NOT NULL REFERENCES recall.session ON DELETE CASCADE,
	generation int NOT NULL, project int NOT NULL, iid text NOT NULL CHECK (length(iid) <= 200),
	kind text NOT NULL CHECK (length(kind) <= 200), said timestamptz CHECK (isfinite(said)),
	hash text NOT NULL CHECK (length(hash) <= 200), rules text NOT NULL CHECK (length(rules) <= 200),
	data text NOT NULL CHECK (octet_length(data) <= 1 << 20 AND json_typeof(data::json) = 'object'),
	UNIQUE(session, iid));
-- What an item is found by, apart from its text: what holds a word is then in few pages. words are
-- "stem project", so that what stands in other projects costs a question nothing.
CREATE TABLE recall.word(
	item bigint PRIMARY KEY REFERENCES recall.item ON DELETE CASCADE, session bigint NOT NULL, project int NOT NULL,
	kind text NOT NULL, said timestamptz, words tsvector NOT NULL);
CREATE INDEX word_words ON recall.word USING gin(words) WITH (fastupdate = off);

-- What is shared of a session beside its items: its transcript, redacted; and its files, encrypted before they came.
CREATE TABLE recall.content(
	session bigint REFERENCES recall.session ON DELETE CASCADE, sealed boolean, generation int NOT NULL,
	project int NOT NULL, named int[] NOT NULL, hash text NOT NULL,
	data bytea NOT NULL CHECK (octet_length(data) <= 64 << 20 AND (sealed OR convert_from(data, 'UTF8') IS NOT NULL)),
	PRIMARY KEY(session, sealed));

-- by says who forgot it: the member, or an owner of the team for them
CREATE TABLE recall.tombstone(
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, member int NOT NULL REFERENCES recall.member, sid text NOT NULL,
	by int REFERENCES recall.member ON DELETE SET NULL, at timestamptz NOT NULL DEFAULT now(), UNIQUE(member, sid));
CREATE TABLE recall.obeyed(
	tombstone bigint REFERENCES recall.tombstone ON DELETE CASCADE, device uuid REFERENCES recall.device ON DELETE CASCADE,
	at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY(tombstone, device));
CREATE TABLE recall.handoff(
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sender int NOT NULL REFERENCES recall.member,
	receiver int NOT NULL REFERENCES recall.member, hash text NOT NULL CHECK (length(hash) BETWEEN 1 AND 100),
	data text NOT NULL CHECK (octet_length(data) <= 1 << 20), at timestamptz NOT NULL DEFAULT now(), taken_at timestamptz,
	UNIQUE(sender, receiver, hash));
CREATE INDEX handoff_receiver ON recall.handoff(receiver);
-- That a later item bears on an earlier one, as a worker found; who reads it asks the rule again. related says of which
-- sessions that was looked for.
CREATE TABLE recall.link(
	maker int REFERENCES recall.member ON DELETE CASCADE, later bigint REFERENCES recall.item ON DELETE CASCADE,
	earlier bigint REFERENCES recall.item ON DELETE CASCADE, relation text CHECK (length(relation) BETWEEN 1 AND 40),
	projects int[] NOT NULL, CHECK (later <> earlier), PRIMARY KEY(later, earlier, relation, maker));
CREATE INDEX link_earlier ON recall.link(earlier);
CREATE TABLE recall.related(project int PRIMARY KEY REFERENCES recall.project, stamp text NOT NULL);

-- Who asks, and what is theirs. They run as the schema's owner, who sees all rows.

CREATE FUNCTION recall.me() RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT id FROM recall.member WHERE login = session_user AND left_at IS NULL);
END $$;
CREATE FUNCTION recall.called() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT name FROM recall.member WHERE id = recall.me() $$;
CREATE FUNCTION recall.owns() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS(SELECT FROM recall.member WHERE id = recall.me() AND owner) $$;
CREATE FUNCTION recall.devices() RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT coalesce(array_agg(id), '{}') FROM recall.device
		WHERE member = (SELECT recall.me()) AND left_at IS NULL);
END $$;
CREATE FUNCTION recall.kept() RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(array_agg(id), '{}') FROM recall.project
	WHERE keeper = (SELECT recall.me()) OR (SELECT recall.owns()) $$;
-- projects that one may read: one's own, those one was let into, and what was merged into these
CREATE FUNCTION recall.mine() RETURNS int[] LANGUAGE plpgsql STABLE SECURITY DEFINER
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (WITH RECURSIVE p(id) AS (
		(SELECT project FROM recall.access WHERE member = (SELECT recall.me())
			UNION SELECT id FROM recall.project WHERE keeper = (SELECT recall.me()))
		UNION SELECT m.id FROM recall.project m JOIN p ON m.merged_into = p.id)
	SELECT coalesce(array_agg(id), '{}') FROM p);
END $$;
-- Whether a session is one's own; asked of each row, so it calls no other function: each call costs more than the look-up.
CREATE FUNCTION recall.wrote(of bigint) RETURNS boolean
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS(SELECT FROM recall.session s JOIN recall.device d ON d.id = s.device
		JOIN recall.member m ON m.id = d.member
		WHERE s.id = $1 AND m.login = session_user AND m.left_at IS NULL AND d.left_at IS NULL) $$;
-- the sessions that this transaction has put (see fence), and their items: more rows of others aren't taken. They are
-- few, and asked for once a statement.
CREATE FUNCTION recall.putting() RETURNS TABLE(session bigint, generation int, project int)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT s.id, s.generation, s.project FROM recall.session s WHERE s.at = now() AND s.device = ANY(recall.devices()) $$;
CREATE FUNCTION recall.saying() RETURNS TABLE(item bigint, session bigint, project int)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT i.id, i.session, i.project FROM recall.putting() p JOIN recall.item i ON i.session = p.session $$;
-- whether a device has put a session, in this project or in any
CREATE FUNCTION recall.had(of uuid, session text, project int) RETURNS boolean
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS(SELECT FROM recall.session s WHERE s.device = $1 AND s.sid = $2 AND s.project = coalesce($3, s.project)) $$;
-- whether two items may be linked: both are readable, and in these projects
CREATE FUNCTION recall.comparable(a bigint, b bigint, projects int[]) RETURNS boolean
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT $3 <@ recall.mine() AND EXISTS(SELECT FROM recall.item x, recall.item y WHERE x.id = $1 AND y.id = $2
		AND $3 @> ARRAY[x.project, y.project]) $$;
-- the days for which a project keeps sessions, its own or those of what it was merged into; NULL for good
CREATE FUNCTION recall.days(of int) RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE p(id, into_, retain) AS (
		SELECT id, merged_into, retain FROM recall.project WHERE id = of
		UNION SELECT q.id, q.merged_into, q.retain FROM recall.project q JOIN p ON q.id = p.into_)
	SELECT min(retain) FROM p $$;
-- the project of a remote, else the only one that began with a commit and has no other remote
CREATE FUNCTION recall.project_of(of text, began text) RETURNS TABLE(id int, readable boolean)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	WITH found AS (
		SELECT p.id FROM recall.project p WHERE p.remote = of
		UNION ALL SELECT min(p.id) FROM recall.project p WHERE p.root = began AND (of IS NULL OR p.remote IS NULL)
			AND NOT EXISTS(SELECT FROM recall.project q WHERE q.remote = of) HAVING count(*) = 1)
	SELECT found.id, found.id = ANY(recall.mine()) FROM found WHERE recall.me() IS NOT NULL $$;

-- What no row may be, whoever writes it.

CREATE FUNCTION recall.fence() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- A session and its tombstone wait for one another; what the other did is seen by the statements below.
	PERFORM pg_advisory_xact_lock(hashtextextended('recall ' || NEW.sid, 0));
	IF EXISTS(SELECT FROM recall.tombstone t JOIN recall.device d ON d.member = t.member
			WHERE d.id = NEW.device AND t.sid = NEW.sid) THEN
		RAISE EXCEPTION 'session % was forgotten', NEW.sid USING ERRCODE = 'RC001';
	END IF;
	IF TG_OP = 'UPDATE' AND NEW.generation <= OLD.generation THEN
		RAISE EXCEPTION 'session % is at generation %', NEW.sid, OLD.generation USING ERRCODE = 'RC002';
	END IF;
	IF NEW.ended < now() - make_interval(days => recall.days(NEW.project)) THEN
		RAISE EXCEPTION 'session % is older than its project is kept', NEW.sid USING ERRCODE = 'RC003';
	END IF;
	NEW.at := now();
	RETURN NEW;
END $$;
CREATE TRIGGER fence BEFORE INSERT OR UPDATE ON recall.session FOR EACH ROW EXECUTE FUNCTION recall.fence();

CREATE FUNCTION recall.tally() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		UPDATE recall.project p SET items = p.items - g.items, sessions = p.sessions - g.sessions FROM (
			SELECT project, sum(items) AS items, count(*) AS sessions FROM gone GROUP BY project) g WHERE p.id = g.project;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		UPDATE recall.project p SET items = p.items + c.items, sessions = p.sessions + c.sessions,
			first = least(p.first, c.first), last = greatest(p.last, c.last) FROM (
			SELECT project, sum(items) AS items, count(*) AS sessions, min(id) AS first, max(id) AS last FROM come
			GROUP BY project) c WHERE p.id = c.project;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER tally_come AFTER INSERT ON recall.session REFERENCING NEW TABLE AS come
	EXECUTE FUNCTION recall.tally();
CREATE TRIGGER tally_other AFTER UPDATE ON recall.session REFERENCING OLD TABLE AS gone NEW TABLE AS come
	EXECUTE FUNCTION recall.tally();
CREATE TRIGGER tally_gone AFTER DELETE ON recall.session REFERENCING OLD TABLE AS gone
	EXECUTE FUNCTION recall.tally();

CREATE FUNCTION recall.bury() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('recall ' || NEW.sid, 0));
	DELETE FROM recall.session s USING recall.device d WHERE s.sid = NEW.sid AND d.id = s.device AND d.member = NEW.member;
	RETURN NULL;
END $$;
CREATE TRIGGER bury AFTER INSERT ON recall.tombstone FOR EACH ROW EXECUTE FUNCTION recall.bury();

-- What a tombstone says of who made it is no client's word.
CREATE FUNCTION recall.sign() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	NEW.by := recall.me();
	RETURN NEW;
END $$;
CREATE TRIGGER sign BEFORE INSERT ON recall.tombstone FOR EACH ROW EXECUTE FUNCTION recall.sign();

-- What is done for all, by whoever says so: nobody gives more than yes.

-- removes what is older than its project is kept; says how many sessions. What somebody holds goes the next time, and
-- keeps no other project's.
CREATE FUNCTION recall.retain() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
	SET lock_timeout = '1s' AS $$
DECLARE
	p record;
	n bigint;
	gone bigint := 0;
BEGIN
	FOR p IN SELECT * FROM (SELECT id, recall.days(id) AS days FROM recall.project) q
			WHERE days IS NOT NULL AND (SELECT recall.me()) IS NOT NULL LOOP
		BEGIN
			DELETE FROM recall.session s WHERE s.project = p.id
				AND least(coalesce(s.ended, s.at), s.at) < now() - make_interval(days => p.days);
			GET DIAGNOSTICS n = ROW_COUNT;
			gone := gone + n;
		EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
			NULL;
		END;
	END LOOP;
	RETURN gone;
END $$;

-- all that is kept about a person, a row an object: for themself, and for an owner of the team
CREATE FUNCTION recall.about(of int) RETURNS SETOF jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	WITH own AS (SELECT id FROM recall.device WHERE member = of),
	row_ AS (
		SELECT 'member' AS "table", 1 AS n, to_jsonb(t) AS row_ FROM recall.member t WHERE id = of
		UNION ALL SELECT 'device', 2, to_jsonb(t) FROM recall.device t WHERE member = of
		UNION ALL SELECT 'key', 3, to_jsonb(t) FROM recall.key t WHERE device IN (SELECT id FROM own)
		UNION ALL SELECT 'project', 4, to_jsonb(t) FROM recall.project t WHERE keeper = of
		UNION ALL SELECT 'access', 5, to_jsonb(t) FROM recall.access t WHERE member = of
		UNION ALL SELECT 'session', 6, to_jsonb(t) FROM recall.session t WHERE device IN (SELECT id FROM own)
		UNION ALL SELECT 'item', 7, to_jsonb(t)
			FROM recall.item t JOIN recall.session s ON s.id = t.session WHERE s.device IN (SELECT id FROM own)
		UNION ALL SELECT 'content', 8, to_jsonb(t) - 'data' || jsonb_build_object('data',
				CASE WHEN t.sealed THEN encode(t.data, 'base64') ELSE convert_from(t.data, 'UTF8') END)
			FROM recall.content t JOIN recall.session s ON s.id = t.session WHERE s.device IN (SELECT id FROM own)
		UNION ALL SELECT 'handoff', 9, to_jsonb(t) FROM recall.handoff t WHERE of IN (sender, receiver)
		UNION ALL SELECT 'tombstone', 10, to_jsonb(t) FROM recall.tombstone t WHERE member = of
		UNION ALL SELECT 'obeyed', 11, to_jsonb(t) FROM recall.obeyed t WHERE device IN (SELECT id FROM own)
		UNION ALL SELECT 'link', 12, to_jsonb(t) FROM recall.link t WHERE maker = of)
	SELECT jsonb_build_object('table', r."table", 'row', r.row_) FROM row_ r
	WHERE of = (SELECT recall.me()) OR (SELECT recall.owns()) ORDER BY r.n $$;

-- removes a person and all that they shared: themself, or an owner of the team; what they keep goes to an owner
CREATE FUNCTION recall.erase(of int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE heir int := (SELECT min(id) FROM recall.member WHERE owner AND left_at IS NULL AND id <> of);
BEGIN
	IF recall.me() IS NULL OR of <> recall.me() AND NOT recall.owns() THEN
		RAISE EXCEPTION 'not yours to delete' USING ERRCODE = '42501';
	ELSIF heir IS NULL THEN
		RAISE EXCEPTION 'the only owner of the team' USING ERRCODE = '42501';
	END IF;
	UPDATE recall.project SET keeper = heir WHERE keeper = of;
	DELETE FROM recall.session WHERE device IN (SELECT id FROM recall.device WHERE member = of);
	DELETE FROM recall.tombstone WHERE member = of;
	DELETE FROM recall.handoff WHERE of IN (sender, receiver);
	DELETE FROM recall.access WHERE member = of;
	DELETE FROM recall.device WHERE member = of;
	DELETE FROM recall.member WHERE id = of;
END $$;

-- Rows: what isn't granted and allowed below can't be done. The subqueries are evaluated once a statement.

ALTER TABLE recall.member ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(login, name), UPDATE(name, left_at) ON recall.member TO {role};
CREATE POLICY see ON recall.member FOR SELECT USING ((SELECT recall.me()) IS NOT NULL);
CREATE POLICY admit ON recall.member FOR INSERT WITH CHECK ((SELECT recall.owns()) AND NOT owner);
CREATE POLICY change ON recall.member FOR UPDATE USING (id = (SELECT recall.me()) OR (SELECT recall.owns()))
	WITH CHECK (name = (SELECT recall.called()) OR (SELECT recall.owns())); -- nobody takes another's name

ALTER TABLE recall.device ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(id, member, name), UPDATE(name, left_at) ON recall.device TO {role};
CREATE POLICY see ON recall.device FOR SELECT USING ((SELECT recall.me()) IS NOT NULL);
CREATE POLICY add ON recall.device FOR INSERT WITH CHECK (member = (SELECT recall.me()));
CREATE POLICY change ON recall.device FOR UPDATE USING (member = (SELECT recall.me()) OR (SELECT recall.owns()));

ALTER TABLE recall.key ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(device, key) ON recall.key TO {role};
CREATE POLICY see ON recall.key FOR SELECT USING ((SELECT recall.me()) IS NOT NULL);
CREATE POLICY add ON recall.key FOR INSERT WITH CHECK (device = ANY((SELECT recall.devices())::uuid[]));

ALTER TABLE recall.project ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(name, remote, root, keeper), UPDATE(name, remote, root, merged_into, retain) ON recall.project TO {role};
CREATE POLICY see ON recall.project FOR SELECT USING (
	id = ANY((SELECT recall.mine())::int[]) OR keeper = (SELECT recall.me()) OR (SELECT recall.owns()));
CREATE POLICY add ON recall.project FOR INSERT WITH CHECK (keeper = (SELECT recall.me()));
CREATE POLICY correct ON recall.project FOR UPDATE USING (keeper = (SELECT recall.me()) OR (SELECT recall.owns()))
	WITH CHECK (merged_into IS NULL OR merged_into = ANY((SELECT recall.mine())::int[]));

ALTER TABLE recall.access ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON recall.access TO {role};
CREATE POLICY see ON recall.access FOR SELECT USING (
	member = (SELECT recall.me()) OR project = ANY((SELECT recall.mine())::int[]) OR (SELECT recall.owns()));
CREATE POLICY admit ON recall.access FOR INSERT WITH CHECK (project = ANY((SELECT recall.kept())::int[]));
CREATE POLICY expel ON recall.access FOR DELETE USING (
	member = (SELECT recall.me()) OR project = ANY((SELECT recall.kept())::int[]));

ALTER TABLE recall.session ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE(project, generation, hash, rules, title, started, ended, items) ON recall.session TO {role};
CREATE POLICY see ON recall.session FOR SELECT USING (
	project = ANY((SELECT recall.mine())::int[]) OR device = ANY((SELECT recall.devices())::uuid[]));
-- Who was let out of a project can still take back what they put there: leave a session of nothing.
CREATE POLICY put ON recall.session FOR INSERT WITH CHECK (
	device = ANY((SELECT recall.devices())::uuid[]) AND (project = ANY((SELECT recall.mine())::int[])
		OR items = 0 AND title = '' AND recall.had(device, sid, NULL)));
CREATE POLICY change ON recall.session FOR UPDATE USING (device = ANY((SELECT recall.devices())::uuid[]))
	WITH CHECK (device = ANY((SELECT recall.devices())::uuid[])
		AND (project = ANY((SELECT recall.mine())::int[]) OR items = 0 AND title = '' AND recall.had(device, sid, project)));

ALTER TABLE recall.item ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON recall.item TO {role};
CREATE POLICY see ON recall.item FOR SELECT USING (
	project = ANY((SELECT recall.mine())::int[]) OR recall.wrote(session));
CREATE POLICY put ON recall.item FOR INSERT WITH CHECK (
	project = ANY((SELECT recall.mine())::int[]) AND (session, generation, project) IN (SELECT * FROM recall.putting()));
CREATE POLICY replace ON recall.item FOR DELETE USING (recall.wrote(session));

-- None but a question reads words, and it runs as the owner.
ALTER TABLE recall.word ENABLE ROW LEVEL SECURITY;
GRANT INSERT ON recall.word TO {role};
CREATE POLICY put ON recall.word FOR INSERT WITH CHECK ((item, session, project) IN (SELECT * FROM recall.saying()));

ALTER TABLE recall.content ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON recall.content TO {role};
CREATE POLICY see ON recall.content FOR SELECT USING (recall.wrote(session)
	OR project = ANY((SELECT recall.mine())::int[]) AND (NOT sealed OR (SELECT recall.me()) = ANY(named)));
CREATE POLICY put ON recall.content FOR INSERT WITH CHECK (
	project = ANY((SELECT recall.mine())::int[]) AND (session, generation, project) IN (SELECT * FROM recall.putting()));
CREATE POLICY replace ON recall.content FOR DELETE USING (recall.wrote(session));

ALTER TABLE recall.tombstone ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(member, sid) ON recall.tombstone TO {role};
CREATE POLICY see ON recall.tombstone FOR SELECT USING (member = (SELECT recall.me()) OR (SELECT recall.owns()));
CREATE POLICY bury ON recall.tombstone FOR INSERT WITH CHECK (member = (SELECT recall.me()) OR (SELECT recall.owns()));

ALTER TABLE recall.obeyed ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(tombstone, device) ON recall.obeyed TO {role};
CREATE POLICY see ON recall.obeyed FOR SELECT USING ((SELECT recall.me()) IS NOT NULL);
CREATE POLICY obey ON recall.obeyed FOR INSERT WITH CHECK (device = ANY((SELECT recall.devices())::uuid[]));

ALTER TABLE recall.handoff ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(sender, receiver, hash, data), UPDATE(taken_at), DELETE ON recall.handoff TO {role};
CREATE POLICY see ON recall.handoff FOR SELECT USING ((SELECT recall.me()) IN (sender, receiver));
CREATE POLICY give ON recall.handoff FOR INSERT WITH CHECK (sender = (SELECT recall.me())
	AND receiver IN (SELECT m.id FROM recall.member m WHERE m.left_at IS NULL));
CREATE POLICY take ON recall.handoff FOR UPDATE USING (receiver = (SELECT recall.me()));
CREATE POLICY drop ON recall.handoff FOR DELETE USING ((SELECT recall.me()) IN (sender, receiver));

ALTER TABLE recall.link ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON recall.link TO {role};
CREATE POLICY see ON recall.link FOR SELECT USING (projects <@ (SELECT recall.mine())::int[]);
CREATE POLICY add ON recall.link FOR INSERT WITH CHECK (
	maker = (SELECT recall.me()) AND recall.comparable(later, earlier, projects));
CREATE POLICY drop ON recall.link FOR DELETE USING (maker = (SELECT recall.me()));

ALTER TABLE recall.related ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE ON recall.related TO {role};
CREATE POLICY work ON recall.related USING (project = ANY((SELECT recall.mine())::int[]));

-- The first pass of a question. PostgreSQL uses no full-text index below a policy (@@ isn't leakproof), so this runs as
-- the owner and asks for readable projects itself: by the words, which are "stem project", and by their rows' project.
-- The rarest of the question's own words (the first stems) are looked up in all projects until enough items are found;
-- one that more hold, only where another stands beside it, in the newest projects. If that finds fewer than most, such
-- words are looked up by themselves, then the lexicon's. Of these items the best are answered: by how rare their own
-- words are, and how many they hold of the lexicon's. held says about how many items hold each stem, searched how many
-- there are. There is one row at least.
CREATE FUNCTION recall.search(stems text[], own int, weights real[], within text, kinds text[], since timestamptz,
	before timestamptz, enough int, most int)
	RETURNS TABLE(held int[], searched bigint, sid text, project text, author text, device text, title text,
		started timestamptz, overtaken boolean, data text)
	LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off
	SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	mine int[] := recall.mine();
	team bigint := (SELECT count(*) FROM recall.project);
	quoted text[] := ARRAY(SELECT '''' || replace(replace(s, '\', '\\'), '''', '''''') || ' {}'''
		FROM unnest(stems) WITH ORDINALITY u(s, n) ORDER BY n);
	-- as they begin, whatever the project: for rows that are there, which are of one project each
	terms tsquery[] := ARRAY(SELECT replace(s, '{}''', ''':*')::tsquery
		FROM unnest(quoted[:own]) WITH ORDINALITY u(s, n) ORDER BY n);
	others tsquery := replace(nullif(array_to_string(quoted[own + 1:], ' | '), ''), '{}''', ''':*')::tsquery;
	worth float8[];
	other float8;
	r record;
	stem record;
	asked text;
	upto int;
	sought tsquery[];
	found bigint[];
	marks float8[];
	ids bigint[] := '{}';
	scores float8[] := '{}';
BEGIN
	WITH RECURSIVE named(id, name, remote, items, sessions, first, last) AS (
		SELECT p.id, p.name, p.remote, p.items, p.sessions, p.first, p.last FROM recall.project p
		WHERE p.merged_into IS NULL
		UNION SELECT p.id, n.name, n.remote, p.items, p.sessions, p.first, p.last
		FROM recall.project p JOIN named n ON p.merged_into = n.id)
	SELECT coalesce(array_agg(n.id), '{}') AS ids, array_agg(n.name) AS names, array_agg(n.items) AS items,
		array_agg(n.newer) AS newer, array_agg(n.first) AS first, array_agg(n.last) AS last, count(*)::int AS n,
		coalesce(sum(n.items), 0)::float8 AS searched, least(count(*) FILTER (WHERE n.newer < 32000), 16)::int AS at_first
	INTO r FROM (SELECT n.*, sum(n.items) OVER (ORDER BY n.last DESC) - n.items AS newer
		FROM named n JOIN unnest(mine) m(id) USING (id) WHERE n.sessions > 0
		AND (within IS NULL OR n.remote = within OR lower(n.name) = lower(within)) ORDER BY n.last DESC) n;
	-- How many hold each stem, by the first rows of the newest projects: rows stand about in the order of their sessions,
	-- so these are what the sessions before the last one hold. Of the lexicon's a rough count is enough.
	held := ARRAY(SELECT coalesce(h.n * r.searched / nullif((SELECT sum(p.items * CASE WHEN h.n < t.few THEN 1
			ELSE greatest(0, least(1, (h.latest - p.first + 1) / (p.last - p.first + 1.0))) END)
			FROM unnest(r.items[:r.at_first], r.first[:r.at_first], r.last[:r.at_first]) p(items, first, last)), 0), 0)
		FROM (SELECT n, CASE WHEN n > own THEN 64 ELSE 400 END AS few,
				ARRAY(SELECT replace(s, '{}', p::text)::tsquery FROM unnest(r.ids[:r.at_first]) p) AS sought
			FROM unnest(quoted) WITH ORDINALITY u(s, n) OFFSET 0) t, LATERAL (
			SELECT greatest(count(*), CASE WHEN t.n > own THEN 1 END) AS n, max(i.session) AS latest FROM (
				SELECT w.session FROM recall.word w WHERE w.words @@ ANY(t.sought) LIMIT t.few) i) h
		ORDER BY t.n);
	worth := ARRAY(SELECT weight * ln(1 + greatest(r.searched - h, 0) / (h + 0.5::float8))
		FROM unnest(weights, search.held) WITH ORDINALITY u(weight, h, n) ORDER BY n);
	other := (SELECT sum(w) FROM unnest(worth[own + 1:]) w) / 0.0608; -- of one of n words ts_rank makes 0.0608 / n
	FOR stem IN SELECT n, alone, held[n] AS held, n > own OR alone AS more
		FROM generate_series(1, cardinality(stems)) n, unnest('{false,true}'::boolean[]) alone
		WHERE CASE WHEN held[n] <= enough THEN NOT alone ELSE alone OR n <= own AND own > 1 END
		ORDER BY n > own, alone, held[n] LOOP
		EXIT WHEN cardinality(ids) >= CASE WHEN stem.more THEN most ELSE enough END AND (stem.more OR stem.held > 0);
		asked := quoted[stem.n];
		upto := r.n;
		IF stem.held > enough THEN
			upto := greatest(r.at_first, least(64, (SELECT count(*) FROM unnest(r.newer) p
				WHERE p * stem.held < 20000 * r.searched)));
			IF NOT stem.alone THEN
				asked := asked || ' & (' || array_to_string(quoted[:stem.n - 1] || quoted[stem.n + 1:own], ' | ') || ')';
			END IF;
		END IF;
		-- Where one reads a good part of the team, a rare word is looked up in all projects at once.
		sought := CASE WHEN stem.held <= enough AND upto > 16 AND upto * 4 > team
			THEN ARRAY[replace(asked, '{}''', ''':*')::tsquery]
			ELSE ARRAY(SELECT replace(asked, '{}', p::text)::tsquery FROM unnest(r.ids[:upto]) p) END;
		SELECT coalesce(array_agg(i.item), '{}'), array_agg(i.score) INTO found, marks FROM (
			SELECT w.item, coalesce((SELECT sum(t.worth) FROM unnest(terms, worth[:own]) t(term, worth)
				WHERE w.words @@ t.term), 0) + coalesce(other * ts_rank(w.words, others), 0) AS score
			FROM recall.word w WHERE w.words @@ ANY(sought) AND w.project = ANY(r.ids[:upto])
				AND (kinds IS NULL OR w.kind = ANY(kinds)) AND (since IS NULL OR w.said >= since)
				AND (before IS NULL OR w.said < before) LIMIT enough) i;
		ids := ids || found;
		scores := scores || marks;
		IF stem.held <= enough THEN
			held[stem.n] := CASE WHEN cardinality(found) < enough THEN 0 ELSE stem.held END;
			held[stem.n] := greatest(held[stem.n], cardinality(found));
		END IF;
	END LOOP;
	ids := ARRAY(SELECT i.id FROM unnest(ids, scores) i(id, score) GROUP BY i.id
		ORDER BY max(i.score) DESC, i.id DESC LIMIT most);
	RETURN QUERY SELECT search.held, r.searched::bigint, s.sid,
		r.names[array_position(r.ids, i.project)], m.name, d.name, s.title, s.started,
		EXISTS(SELECT FROM recall.session l WHERE l.project = s.project AND l.started > s.started
			AND l.started < now() + '1 day'), i.data
	FROM (SELECT) one LEFT JOIN (unnest(ids) b(id)
		JOIN recall.item i ON i.id = b.id JOIN recall.session s ON s.id = i.session
		JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member) ON true
	ORDER BY i.id;
END $$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA recall FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA recall TO {role};
-- Who may execute a trigger's function may put it on a table of their own, and have it do there what it does here.
REVOKE EXECUTE ON FUNCTION recall.fence(), recall.tally(), recall.bury(), recall.sign() FROM {role};
