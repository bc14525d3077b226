#ifndef KINFORMER_TEST_CHAOS_PROCESS_FIGURES_H_
#define KINFORMER_TEST_CHAOS_PROCESS_FIGURES_H_

// Resource usage of this process and of others.

#include <sys/types.h>

#include <cstddef>

namespace kinformer::chaos {

/// Bytes allocated and not freed: as counted by the sanitizer's allocator, else by malloc after trimming. Excludes the
/// idle blocks kept for new objects, whose total is bounded.
std::size_t HeapInUse();

/// Number of threads of another process; 0 if it is gone.
std::size_t ThreadsOf(pid_t pid);
/// Number of TCP connections that the owner of that port of 127.0.0.1 has not closed yet.
std::size_t ConnectionsAt(int port);
/// Resident memory in kB.
std::size_t ResidentOf(pid_t pid);
/// Whether the process is running. Does not reap it if it has ended.
bool Runs(pid_t pid);

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_PROCESS_FIGURES_H_
