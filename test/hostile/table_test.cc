// docs/reliability.md documents the handling of hostile peers and names a test for each row: those tests must exist.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// "Suite.Name" of every test in the sources.
std::set<std::string> AllTests() {
  std::set<std::string> tests;
  static const std::regex kTest(R"(\nTEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TEST_SOURCES)) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = Read(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), kTest), end; at != end; ++at) {
      tests.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return tests;
}

TEST(ReliabilityTable, EveryRowNamesATestThatExists) {
  const std::set<std::string> tests = AllTests();
  ASSERT_GT(tests.size(), 500U);
  std::ifstream file(RELIABILITY_MD);
  static const std::regex kName(R"(`(\w+\.[A-Z]\w+)`)");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ") || line.starts_with("| attack") || line.starts_with("|---")) continue;
    ++rows;
    const std::string last = line.substr(line.rfind('|', line.size() - 2));
    int named = 0;
    for (std::sregex_iterator at(last.begin(), last.end(), kName), end; at != end; ++at, ++named) {
      EXPECT_TRUE(tests.contains((*at)[1].str())) << (*at)[1].str() << " of the row: " << line;
    }
    EXPECT_GT(named, 0) << "a row without a test: " << line;
  }
  EXPECT_GE(rows, 60);
}

// Every test of a hostile peer must be documented on the page.
TEST(ReliabilityTable, EveryTestOfHostilePeersHasARow) {
  const std::string page = Read(RELIABILITY_MD);
  for (const std::string& test : AllTests()) {
    if (!test.starts_with("Hostile")) continue;
    EXPECT_NE(page.find("`" + test + "`"), std::string::npos) << test;
  }
}

}  // namespace
}  // namespace kinformer
