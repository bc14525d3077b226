#ifndef KINFORMER_TEST_CHAOS_PROCESS_FIGURES_H_
#define KINFORMER_TEST_CHAOS_PROCESS_FIGURES_H_

// What this process has in use, and what another one has.

#include <sys/types.h>

#include <cstddef>

namespace kinformer::chaos {

/// Bytes that were allocated and not freed. Under a sanitizer by its allocator, else by malloc's own books, after it
/// gave back what it could; without the blocks that lie idle for the next objects, whose number is bounded.
std::size_t HeapInUse();

/// Threads of another process; 0 where it is gone.
std::size_t ThreadsOf(pid_t pid);
/// TCP connections that the owner of that port of 127.0.0.1 has not closed yet.
std::size_t ConnectionsAt(int port);
/// Resident memory in kB.
std::size_t ResidentOf(pid_t pid);
/// Whether it still runs. Leaves a process that has ended to be waited for by its owner.
bool Runs(pid_t pid);

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_PROCESS_FIGURES_H_
