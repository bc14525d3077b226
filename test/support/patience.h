#ifndef KINFORMER_TEST_SUPPORT_PATIENCE_H_
#define KINFORMER_TEST_SUPPORT_PATIENCE_H_

#include <chrono>

namespace kinformer::testing_support {

/// How long a test waits for what must happen. Tests that pass never wait this long.
inline constexpr std::chrono::milliseconds kPatience{10'000};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_PATIENCE_H_
