# program: graphs
# row: a recorded graph forks and joins
# file: code/simt/runtime/runtime.c
s/return capturing(r->stream) ? capture_launch(r) : launch_now(r);/return launch_now(r);/
