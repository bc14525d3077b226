#ifndef KINFORMER_TEST_HOSTILE_SIZES_H_
#define KINFORMER_TEST_HOSTILE_SIZES_H_

#include <cstddef>

namespace kinformer {

inline constexpr std::size_t kMiB = std::size_t{1} << 20U;

}  // namespace kinformer

#endif  // KINFORMER_TEST_HOSTILE_SIZES_H_
