#ifndef KINFORMER_BENCH_POD_GENERATOR_H_
#define KINFORMER_BENCH_POD_GENERATOR_H_

#include <cstddef>
#include <string>

namespace kinformer::bench {

/// A pod of about 7 KB as an API server sends it inside a list (compact, without kind and apiVersion): two containers
/// with their environment, probes and volumes, a full status, and managedFields. Each number gives another pod, and
/// always the same one.
std::string PodJson(std::size_t number);

/// The list around them: what comes before the first and after the last item.
std::string PodListHead();
std::string PodListTail();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_POD_GENERATOR_H_
