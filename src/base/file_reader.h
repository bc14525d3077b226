#ifndef KINFORMER_SRC_BASE_FILE_READER_H_
#define KINFORMER_SRC_BASE_FILE_READER_H_

#include <cstddef>
#include <string>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// Whether files other than regular ones may be read. A pipe can block its reader, so it is allowed only for
/// kubeconfigs.
enum class FileKinds { kRegularOnly, kAlsoPipes };

/// Reads a whole file of at most `limit` bytes. The error's `reason` is "NotFound" if the file does not exist. The
/// message does not repeat the path.
Result<std::string> ReadFile(const std::string& path, std::size_t limit, FileKinds kinds = FileKinds::kRegularOnly);

bool IsFileNotFound(const Error& error);

/// `path` if it is absolute or empty, otherwise resolved against `base_dir`.
std::string ResolvePath(const std::string& path, const std::string& base_dir);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_FILE_READER_H_
