// kinformer-gen: see command_line.cc for the options.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <kinformer/version.h>

#include "src/base/file_reader.h"
#include "src/base/file_writer.h"
#include "src/gen/generate.h"
#include "src/programs/kinformer_gen/command_line.h"

namespace fs = std::filesystem;
namespace gen = kinformer::gen;
namespace ki = kinformer;

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxFiles = 10'000;
constexpr std::size_t kMaxTotalBytes = std::size_t{256} << 20U;

int Fail(const std::string& message) {
  std::cerr << "kinformer-gen: " << message << "\n";
  return kFailed;
}

ki::Error Unreadable(const std::string& path, const std::string& reason) {
  return {.code = ki::ErrorCode::kInvalidConfig, .message = "cannot read " + path + ": " + reason};
}

/// The files of a folder that may have definitions, sorted.
ki::Result<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::string extension = path.extension().string();
    if (extension != ".yaml" && extension != ".yml" && extension != ".json") continue;
    std::error_code ignored;
    if (entry->is_directory(ignored)) continue;
    files.push_back(path.string());
    if (files.size() > kMaxFiles) return Unreadable(folder, "it has more than 10000 files");
  }
  if (error) return Unreadable(folder, error.message());
  std::sort(files.begin(), files.end());
  return files;
}

/// Reads files and folders, up to a total size.
class Inputs {
 public:
  ki::Result<void> Add(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return AddFile(path, true);
    auto files = FilesIn(path);
    if (!files) return std::move(files).error();
    for (const std::string& file : *files) {
      if (auto added = AddFile(file, false); !added) return added;
    }
    return {};
  }
  const std::vector<gen::Input>& all() const { return inputs_; }

 private:
  ki::Result<void> AddFile(const std::string& path, bool must_contribute) {
    auto text = ki::internal::ReadFile(path, kMaxFileBytes, ki::internal::FileKinds::kAlsoPipes);
    if (!text) return Unreadable(path, text.error().message);
    total_ += text->size();
    if (total_ > kMaxTotalBytes) return Unreadable(path, "all files together have more than 256 MB");
    inputs_.push_back({.source = path, .text = *std::move(text), .must_contribute = must_contribute});
    return {};
  }

  std::vector<gen::Input> inputs_{};
  std::size_t total_ = 0;
};

/// Whether the file has this text. Generated files are no larger than a few times their input.
bool IsCurrent(const std::string& path, const std::string& text) {
  const auto existing = ki::internal::ReadFile(path, text.size());
  return existing && *existing == text;
}

int Check(const std::vector<gen::File>& files, const fs::path& out) {
  bool differs = false;
  for (const gen::File& file : files) {
    const std::string path = (out / file.name).string();
    if (IsCurrent(path, file.text)) continue;
    std::error_code ignored;
    std::cerr << "kinformer-gen: " << path << (fs::exists(path, ignored) ? " differs" : " is missing") << "\n";
    differs = true;
  }
  return differs ? kFailed : 0;
}

int Write(const std::vector<gen::File>& files, const fs::path& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return Fail("cannot create " + out.string() + ": " + error.message());
  for (const gen::File& file : files) {
    const std::string path = (out / file.name).string();
    // A file that does not change keeps its time, so that nothing is compiled again.
    if (IsCurrent(path, file.text)) continue;
    if (auto written = ki::internal::WriteFile(path, file.text, 0644); !written) return Fail(written.error().message);
  }
  return 0;
}

int Run(const gen::CommandLine& line) {
  Inputs inputs;
  for (const std::string& path : line.crds.empty() ? line.openapi : line.crds) {
    if (auto added = inputs.Add(path); !added) return Fail(added.error().message);
  }
  const auto generated = line.crds.empty() ? gen::GenerateFromOpenApi(inputs.all(), line.options)
                                           : gen::GenerateFromCrds(inputs.all(), line.options);
  if (!generated) return Fail(generated.error().message);
  for (const gen::Note& note : generated->notes)
    std::cerr << "kinformer-gen: " << note.place << ": " << note.reason << "\n";
  return line.check ? Check(generated->files, line.out) : Write(generated->files, line.out);
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = gen::ParseCommandLine({argv + 1, argv + argc});
  if (!line) {
    std::cerr << "kinformer-gen: " << line.error().message << "\n" << gen::kUsage;
    return kWrongUsage;
  }
  if (line->help) {
    std::cout << gen::kUsage << gen::kHelp;
    return 0;
  }
  if (line->version) {
    std::cout << "kinformer-gen " << ki::kVersion << "\n";
    return 0;
  }
  return Run(*line);
}
