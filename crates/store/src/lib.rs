//! Durable games and tournaments. What a call says is kept, is kept: it is on the disk before the call returns.
