# cmake -DAR=ar -DINTO=libours.a -DFROM=libtheirs.a -P MergeArchive.cmake: their objects go into our archive. Ours has
# just been written anew by the build, so nothing is ever added twice.
cmake_minimum_required(VERSION 3.25)
# ar's script language does not quote: so the names in it are short ones, of links and files beside each other.
set(work "${INTO}.merge")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
file(CREATE_LINK "${FROM}" "${work}/from.a" SYMBOLIC)
file(RENAME "${INTO}" "${work}/into.a")
file(WRITE "${work}/script" "CREATE both.a\nADDLIB into.a\nADDLIB from.a\nSAVE\nEND\n")
execute_process(COMMAND "${AR}" -M WORKING_DIRECTORY "${work}" INPUT_FILE "${work}/script" RESULT_VARIABLE result
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${AR} -M: ${output}")
endif()
file(RENAME "${work}/both.a" "${INTO}")
file(REMOVE_RECURSE "${work}")
