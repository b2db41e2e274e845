-- schema recall: members, devices, projects, what is shared of sessions, tombstones; who may do what with each row
-- {role} is the group that every member's login is of. Who is asking is session_user, which nobody can change but a
-- superuser: neither SET ROLE nor a function that runs as its owner does.

-- What somebody holds keeps others waiting this long, whatever program connects.
DO $$ BEGIN
	EXECUTE format('ALTER DATABASE %I SET lock_timeout = ''3s''', current_database());
EXCEPTION WHEN insufficient_privilege THEN NULL; -- of a database that is somebody else's
END $$;
CREATE SCHEMA recall;
GRANT USAGE ON SCHEMA recall TO {role};

CREATE TABLE recall.team(id text PRIMARY KEY, name text NOT NULL, role name NOT NULL, format int NOT NULL,
	at timestamptz NOT NULL DEFAULT now());
GRANT SELECT ON recall.team TO {role};

CREATE TABLE recall.member(
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, login name NOT NULL UNIQUE,
	name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100), owner boolean NOT NULL DEFAULT false,
	at timestamptz NOT NULL DEFAULT now(), left_at timestamptz);
CREATE UNIQUE INDEX member_name ON recall.member(lower(name)); -- who left keeps it: what they decided bears it
CREATE TABLE recall.device(
	id uuid PRIMARY KEY, member int NOT NULL REFERENCES recall.member,
	name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100), at timestamptz NOT NULL DEFAULT now(), left_at timestamptz);
CREATE INDEX device_member ON recall.device(member);
-- A project is found by its remote, else by its first commit; merged_into corrects what neither told.
CREATE TABLE recall.project(
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
	remote text UNIQUE CHECK (remote <> ''), root text CHECK (root <> ''),
	keeper int NOT NULL REFERENCES recall.member, merged_into int REFERENCES recall.project CHECK (merged_into <> id));
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
-- Items are never changed: another text is another row of a later generation. data is the payload.Item as
-- JSON.
CREATE TABLE recall.item(
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session bigint NOT NULL REFERENCES recall.session ON DELETE CASCADE,
	generation int NOT NULL, project int NOT NULL, iid text NOT NULL CHECK (length(iid) <= 200),
	kind text NOT NULL CHECK (length(kind) <= 200), said timestamptz CHECK (isfinite(said)),
	hash text NOT NULL CHECK (length(hash) <= 200), rules text NOT NULL CHECK (length(rules) <= 200),
	data text NOT NULL CHECK (octet_length(data) <= 1 << 20 AND json_typeof(data::json) = 'object'),
	UNIQUE(session, iid));

-- What is shared of a session beside its items: its transcript, redacted.
CREATE TABLE recall.content(
	session bigint PRIMARY KEY REFERENCES recall.session ON DELETE CASCADE, generation int NOT NULL,
	project int NOT NULL, hash text NOT NULL, data text NOT NULL CHECK (octet_length(data) <= 64 << 20));

-- by says who forgot it: the member, or an owner of the team for them
CREATE TABLE recall.tombstone(
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, member int NOT NULL REFERENCES recall.member, sid text NOT NULL,
	by int REFERENCES recall.member ON DELETE SET NULL, at timestamptz NOT NULL DEFAULT now(), UNIQUE(member, sid));

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
-- the sessions that this transaction has put (see fence): more rows of others aren't taken. They are few, and asked for
-- once a statement.
CREATE FUNCTION recall.putting() RETURNS TABLE(session bigint, generation int, project int)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT s.id, s.generation, s.project FROM recall.session s WHERE s.at = now() AND s.device = ANY(recall.devices()) $$;
-- whether a device has put a session, in this project or in any
CREATE FUNCTION recall.had(of uuid, session text, project int) RETURNS boolean
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS(SELECT FROM recall.session s WHERE s.device = $1 AND s.sid = $2 AND s.project = coalesce($3, s.project)) $$;
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
	NEW.at := now();
	RETURN NEW;
END $$;
CREATE TRIGGER fence BEFORE INSERT OR UPDATE ON recall.session FOR EACH ROW EXECUTE FUNCTION recall.fence();

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

ALTER TABLE recall.project ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(name, remote, root, keeper), UPDATE(name, remote, root, merged_into) ON recall.project TO {role};
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

ALTER TABLE recall.content ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON recall.content TO {role};
CREATE POLICY see ON recall.content FOR SELECT USING (
	project = ANY((SELECT recall.mine())::int[]) OR recall.wrote(session));
CREATE POLICY put ON recall.content FOR INSERT WITH CHECK (
	project = ANY((SELECT recall.mine())::int[]) AND (session, generation, project) IN (SELECT * FROM recall.putting()));
CREATE POLICY replace ON recall.content FOR DELETE USING (recall.wrote(session));

ALTER TABLE recall.tombstone ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT(member, sid) ON recall.tombstone TO {role};
CREATE POLICY see ON recall.tombstone FOR SELECT USING (member = (SELECT recall.me()) OR (SELECT recall.owns()));
CREATE POLICY bury ON recall.tombstone FOR INSERT WITH CHECK (member = (SELECT recall.me()) OR (SELECT recall.owns()));

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA recall FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA recall TO {role};
-- Who may execute a trigger's function may put it on a table of their own, and have it do there what it does here.
REVOKE EXECUTE ON FUNCTION recall.fence(), recall.bury(), recall.sign() FROM {role};
