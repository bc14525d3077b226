#ifndef KINFORMER_SRC_CLIENT_FILE_READER_H_
#define KINFORMER_SRC_CLIENT_FILE_READER_H_

#include <cstddef>
#include <string>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// Whether something other than a regular file may be read. A pipe can keep its reader waiting, so it is only for
/// what the user names on a command line.
enum class FileKinds { kRegularOnly, kAlsoPipes };

/// A whole file, if it has at most `limit` bytes. `reason` of the error is "NotFound" where the file does not exist.
/// The message says what is wrong and does not repeat the path.
Result<std::string> ReadFile(const std::string& path, std::size_t limit, FileKinds kinds = FileKinds::kRegularOnly);

bool IsFileNotFound(const Error& error);

/// `path` as it is where absolute or empty, else below `base_dir`.
std::string ResolvePath(const std::string& path, const std::string& base_dir);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_FILE_READER_H_
