-- How a fleet shares turns and slots at hosts. Every process replaces these functions when it starts: the newest version wins.

CREATE OR REPLACE FUNCTION server_ms() RETURNS DOUBLE PRECISION LANGUAGE sql VOLATILE AS
  'SELECT extract(epoch FROM clock_timestamp()) * 1000';

/*
 * Takes turns and slots at several keys in one call. Per key: `caps` slots for the whole fleet, `intervals` milliseconds
 * between two requests (0: any), `bursts` requests at once after a pause. The caller wants `turns` new turns and `slots`
 * slots in all, of which `used` are in use; `spaced` means that the next pause starts now. The last `unused` turns of the
 * caller's last grant are returned if none was reserved since, that is, if the next turn is still the one `behind` them.
 * A turn further ahead than `ahead_ms` is reported but not reserved: it would be lost to the others if it stayed unused.
 * Processes that wait for a slot are notified when one is returned, and holders when another process begins to wait.
 * Keys are sorted, so that two callers never deadlock.
 */
CREATE OR REPLACE FUNCTION reserve_turns(
  me TEXT, ttl_ms DOUBLE PRECISION, ahead_ms DOUBLE PRECISION, lead_ms DOUBLE PRECISION, keys TEXT[], caps INTEGER[], intervals DOUBLE PRECISION[], bursts INTEGER[],
  turns INTEGER[], slots INTEGER[], used INTEGER[], spaced BOOLEAN[], from_answer BOOLEAN[], unused INTEGER[], behind DOUBLE PRECISION[]
) RETURNS TABLE (key TEXT, now_ms DOUBLE PRECISION, first_at DOUBLE PRECISION, next_at DOUBLE PRECISION, turns_given INTEGER,
  slots_given INTEGER, contended BOOLEAN, held_ms DOUBLE PRECISION, holders INTEGER) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  at_now DOUBLE PRECISION;
  due DOUBLE PRECISION;
  held DOUBLE PRECISION;
  others INTEGER;
  rivals INTEGER;
  mine INTEGER;
  known INTEGER;
  granted INTEGER;
  fleet INTEGER;
BEGIN
  at_now := server_ms();
  INSERT INTO host_holders AS h VALUES (me, at_now + ttl_ms)
    ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at;
  SELECT count(*) INTO fleet FROM host_holders h WHERE h.expires_at > at_now;
  FOR i IN 1 .. coalesce(array_length(keys, 1), 0) LOOP
    INSERT INTO hosts AS h (key) VALUES (keys[i]) ON CONFLICT (key) DO UPDATE SET key = excluded.key
      RETURNING h.next_at, h.held_until INTO due, held;
    at_now := server_ms();
    SELECT coalesce(sum(s.slots) FILTER (WHERE s.holder <> me), 0), count(*) FILTER (WHERE s.holder <> me),
        coalesce(sum(s.slots) FILTER (WHERE s.holder = me), 0), count(*) FILTER (WHERE s.holder = me)
      INTO others, rivals, mine, known FROM host_slots s WHERE s.key = keys[i] AND s.expires_at > at_now;
    -- At least what is in use; otherwise what is left, and a fair share if others want some too.
    granted := greatest(used[i], least(slots[i], caps[i] - others,
      CASE WHEN rivals > 0 THEN greatest(1, ceil(caps[i]::numeric / (rivals + 1))::integer) ELSE slots[i] END));
    IF granted > 0 OR slots[i] > 0 THEN
      INSERT INTO host_slots AS s VALUES (keys[i], me, granted, at_now + CASE WHEN granted > 0 THEN ttl_ms ELSE 2000 END)
        ON CONFLICT (key, holder) DO UPDATE SET slots = excluded.slots, expires_at = excluded.expires_at;
    ELSE
      DELETE FROM host_slots s WHERE s.key = keys[i] AND s.holder = me;
    END IF;
    IF rivals > 0 AND (granted < mine OR (granted = 0 AND known = 0 AND slots[i] > 0)) THEN
      PERFORM pg_notify('docstokg_hosts_' || current_schema(),
        json_build_object('key', keys[i], 'place', CASE WHEN granted < mine THEN 'free' ELSE 'wanted' END)::text);
    END IF;
    IF unused[i] > 0 AND due = behind[i] THEN due := due - unused[i] * intervals[i]; END IF;
    IF spaced[i] THEN due := greatest(due, at_now + intervals[i]); END IF;
    key := keys[i];
    held_ms := greatest(0, held - at_now);
    contended := rivals > 0 AND others + granted >= caps[i];
    slots_given := granted;
    holders := fleet;
    turns_given := CASE WHEN intervals[i] > 0 AND granted > 0 THEN turns[i] ELSE 0 END;
    now_ms := at_now;
    first_at := greatest(due, at_now);
    IF turns_given > 0 THEN
      -- A little ahead, so that it is not past when the reply arrives.
      due := greatest(due, at_now + lead_ms - (bursts[i] - 1) * intervals[i]);
      first_at := due;
      IF first_at - at_now > ahead_ms THEN
        turns_given := 0;
      ELSIF NOT from_answer[i] THEN
        due := due + turns_given * intervals[i];
      END IF;
    END IF;
    next_at := due;
    UPDATE hosts h SET next_at = due WHERE h.key = keys[i] AND h.next_at IS DISTINCT FROM due;
    RETURN NEXT;
  END LOOP;
END $$;
