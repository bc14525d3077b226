#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_KEY_PREFIX_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_KEY_PREFIX_H_

#include <string_view>

namespace kinformer::apiserver {

/// Prefixes are empty or end in '/'; all others are whole keys.
inline bool IsKeyPrefix(std::string_view prefix) { return prefix.empty() || prefix.back() == '/'; }
/// Whether the key starts with the prefix, or is that key.
inline bool IsBelow(std::string_view key, std::string_view prefix) {
  return IsKeyPrefix(prefix) ? key.starts_with(prefix) : key == prefix;
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_KEY_PREFIX_H_
