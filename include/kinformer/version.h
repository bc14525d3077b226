#ifndef KINFORMER_VERSION_H_
#define KINFORMER_VERSION_H_

#include <string_view>

namespace kinformer {

/// The library's version; the CMake package takes it from here.
inline constexpr std::string_view kVersion = "0.2.0";

}  // namespace kinformer

#endif  // KINFORMER_VERSION_H_
