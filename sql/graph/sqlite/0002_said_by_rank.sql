-- The statement that is believed comes first among those about a node.
DROP INDEX said_node;
CREATE INDEX said_node ON said (node, rank);
