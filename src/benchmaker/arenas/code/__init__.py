"""The Code Arena: generated front ends are extracted, rendered, judged and voted on."""
