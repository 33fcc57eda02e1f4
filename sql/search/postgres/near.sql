-- The nearest vectors in half precision; they are compared exactly afterwards. {d} is the number of dimensions.
CREATE INDEX IF NOT EXISTS search_near_{g} ON search_passages_{g}
  USING hnsw ((embedding::{halfvec}({d})) {schema}halfvec_ip_ops) WITH (m = 16, ef_construction = 200);
