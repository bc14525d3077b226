#ifndef KINFORMER_BENCH_POD_GENERATOR_H_
#define KINFORMER_BENCH_POD_GENERATOR_H_

#include <cstddef>
#include <string>

namespace kinformer::bench {

/// A pod of about 7 KB as an API server sends it inside a list (compact, without kind and apiVersion): two containers
/// with environment, probes and volumes, a full status, and managedFields. Deterministic; each number gives a different
/// pod.
std::string PodJson(std::size_t number);

/// The text of the list before the first item and after the last.
std::string PodListHead();
std::string PodListTail();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_POD_GENERATOR_H_
