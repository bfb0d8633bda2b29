"""The Code Arena: front ends that models write, found, shown, looked into, judged and voted on."""
