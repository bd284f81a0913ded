import scala.io.StdIn.readLine

object Player extends App {
  readLine()
  while (true) {
    for (_ <- 1 to 10) if (readLine() == null) sys.exit()
    val actions = List.fill(readLine().toInt)(readLine())
    println(actions.head)
  }
}
