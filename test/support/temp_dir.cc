#include "test/support/temp_dir.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace kinformer::testing_support {

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "kinformer-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::Write(std::string_view name, std::string_view content, unsigned mode) const {
  const std::filesystem::path target = path_ / name;
  std::filesystem::create_directories(target.parent_path());
  const std::filesystem::path draft = target.string() + ".draft";
  {
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + draft.string());
  }
  if (chmod(draft.c_str(), static_cast<mode_t>(mode)) != 0) {
    throw std::system_error(errno, std::generic_category(), "chmod " + draft.string());
  }
  std::filesystem::rename(draft, target);
  return target.string();
}

namespace {

void SetOrUnset(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    setenv(name.c_str(), value->c_str(), 1);
  } else {
    unsetenv(name.c_str());
  }
}

}  // namespace

ScopedEnv::ScopedEnv(std::string name, std::optional<std::string> value) : name_(std::move(name)) {
  if (const char* before = std::getenv(name_.c_str()); before != nullptr) before_ = before;
  SetOrUnset(name_, value);
}

ScopedEnv::~ScopedEnv() { SetOrUnset(name_, before_); }

}  // namespace kinformer::testing_support
