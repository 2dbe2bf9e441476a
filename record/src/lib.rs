//! What any technique leaves behind: Record, Histogram, Progress, merge, codec.
